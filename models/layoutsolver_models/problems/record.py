"""Named tuples as JSON objects: what pydantic asks for when it meets one, which a solve never does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

Record = TypeVar("Record")


def as_json_object(cls: type[Record]) -> type[Record]:
    """The class, which pydantic now takes for an object with its fields as keys and no others, not for an array.

    Notebooks show it as a table.
    """
    setattr(cls, "__get_pydantic_core_schema__", classmethod(_object_schema))  # noqa: B010 (the class declares no such thing)
    setattr(cls, "_repr_html_", _html)  # noqa: B010 (as above)
    return cls


def _html(record: Any) -> str:
    from layoutsolver_models.problems.html import record_html

    return record_html(record)


def _object_schema(cls: type[Any], _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
    from pydantic_core import core_schema

    fields: dict[str, core_schema.TypedDictField] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        schema = handler.generate_schema(hint)
        if name in cls._field_defaults:
            schema = core_schema.with_default_schema(schema, default=cls._field_defaults[name])
        fields[name] = core_schema.typed_dict_field(schema, required=name not in cls._field_defaults)
    document = core_schema.typed_dict_schema(fields, extra_behavior="forbid", cls=cls)
    return core_schema.no_info_after_validator_function(
        lambda found: cls(**found),
        document,
        serialization=core_schema.plain_serializer_function_ser_schema(
            lambda record: record._asdict(), return_schema=document
        ),
        ref=f"{cls.__module__}.{cls.__qualname__}",
    )
