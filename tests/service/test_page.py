"""The page, driven in a browser as a person would."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from selenium.webdriver import Chrome, ChromeOptions, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from layoutsolver.service.examples import BUFFERS, CONFLICT, PACKED, PROGRAMS, TEMPLATES, TILE
from layoutsolver.service.requests import VERBS

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
QUIET = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1400,1000",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="no Chromium with its driver on this machine")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    options = ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    found = Chrome(options, Service(DRIVER or ""))
    yield found
    found.quit()


@pytest.fixture
def page(browser: Chrome, client: httpx.Client) -> Chrome:
    browser.get(str(client.base_url))
    WebDriverWait(browser, 20).until(lambda it: it.find_elements(By.CSS_SELECTOR, "body[data-ready]"))
    return browser


def element(page: Chrome, name: str) -> WebElement:
    return page.find_element(By.CSS_SELECTOR, name)


def paste(page: Chrome, text: str) -> None:
    """Put a text into the editor as pasting does, and let the page know."""
    field = element(page, "#text")
    page.execute_script(
        "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))", field, text
    )


def run(page: Chrome, verb: str) -> str:
    """Pick a verb, press the button, and wait; what the page says then."""
    Select(element(page, "#verb")).select_by_value(verb)
    element(page, "#run").click()
    WebDriverWait(page, 60).until(lambda it: element(page, "#run").is_enabled())
    return element(page, "#status").text


def test_a_conflict_is_shown_at_its_lines_and_repaired_by_a_button(page: Chrome) -> None:
    paste(page, CONFLICT)
    assert run(page, "solve") == "no answer: see what speaks against it"
    said = element(page, "#said .error")
    assert "LS0101" in said.text
    line = int(re.findall(r"line (\d+)", said.text)[0])
    assert element(page, "#numbers .error").text.strip() == str(line)
    element(page, "#said .error > button").click()
    script = "const t = document.getElementById('text'); return t.value.slice(t.selectionStart, t.selectionEnd)"
    assert page.execute_script(script) == CONFLICT.splitlines()[line - 1]
    assert page.find_elements(By.CSS_SELECTOR, "#picture-dataflow svg .wrong")
    element(page, "#said .apply").click()
    WebDriverWait(page, 60).until(lambda it: element(page, "#status").text == "done")
    assert page.find_elements(By.CSS_SELECTOR, "#numbers .error") == []
    assert "functionType" in element(page, "#answer").text


@pytest.mark.parametrize(
    ("verb", "text", "field", "answer", "pictures"),
    [
        ("solve", PACKED, "", "deinterleaved = 2", ["dataflow", "space"]),
        ("explain", PACKED, "", "nothing contradicts", ["dataflow", "space"]),
        ("why", PACKED, "%q", "%q", ["space"]), ("space", PACKED, "", "solution", ["space"]),
        ("lower", PACKED, "vpto", "pto.vcvt", []), ("verify", PACKED, "", "agrees", []),
        ("fuse", TEMPLATES, "", "pto.vmi.vexp", ["fusion"]), ("why not fused", TEMPLATES, "", "", []),
        ("banks", TILE, "elide", "buckyball.mset", ["memory"]), ("banks", TILE, "reorder", "buckyball.mset", []),
        ("place buffers", BUFFERS, "", "weights,0,8,4096", ["memory"]),
    ],
)  # fmt: skip
def test_every_verb_is_answered(
    verb: str, text: str, field: str, answer: str, pictures: list[str], page: Chrome
) -> None:
    paste(page, text)
    Select(element(page, "#verb")).select_by_visible_text(verb)
    if field:
        fill(page, field)
    assert run(page, verb) == "done"
    assert answer in (element(page, "#answer").get_attribute("textContent") or "")
    assert [item.get_attribute("id") for item in page.find_elements(By.CSS_SELECTOR, "#pictures figure")] == [
        f"picture-{name}" for name in pictures
    ]


def fill(page: Chrome, value: str) -> None:
    """Type a value into the field that belongs to the verb, or choose it where values are listed."""
    WebDriverWait(page, 20).until(lambda it: element(it, "#extra").is_displayed())
    if element(page, "#extra select").is_displayed():
        Select(element(page, "#extra select")).select_by_visible_text(value)
    else:
        element(page, "#extra input").clear()
        element(page, "#extra input").send_keys(value)


def test_numbered_banks_are_checked(page: Chrome, client: httpx.Client) -> None:
    placed = client.post("/v1/banks", json={"text": TILE}).json()["text"]
    paste(page, placed)
    assert run(page, "check banks") == "done"
    paste(page, TILE)
    assert run(page, "check banks") == "no answer: see what speaks against it"
    assert page.find_elements(By.CSS_SELECTOR, "#numbers .error")


def test_the_released_compiler_is_offered_where_there_is_one(page: Chrome) -> None:
    Select(element(page, "#verb")).select_by_visible_text("banks")
    WebDriverWait(page, 20).until(lambda it: not element(it, "#released").is_displayed())
    paste(page, PACKED)
    Select(element(page, "#verb")).select_by_visible_text("solve")
    WebDriverWait(page, 20).until(lambda it: element(it, "#released").is_displayed())
    element(page, "#compat").click()
    assert run(page, "solve") == "done"
    assert "deinterleaved = 4" in element(page, "#answer").text, "as the released compiler chooses"


def test_all_verbs_of_the_service_are_offered(page: Chrome) -> None:
    offered = page.execute_script("return Object.entries(VERBS).map(([name, known]) => known.verb || name)")
    assert set(offered) == set(VERBS) - {"view", "report"}, "these are drawn beside the answers"


def test_what_cannot_be_read_is_said_at_its_place(page: Chrome) -> None:
    paste(page, "func.func @f() {\n  %x = \n")
    assert run(page, "verify") == "this cannot be read"
    assert page.find_elements(By.CSS_SELECTOR, "#numbers .error")


def test_a_request_that_is_refused_is_said(page: Chrome) -> None:
    paste(page, PACKED)
    Select(element(page, "#verb")).select_by_value("why")
    fill(page, "%nothing")
    assert run(page, "why").startswith("no vector `%nothing`")


def test_an_example_is_loaded_and_the_keyboard_runs_it(page: Chrome) -> None:
    name = "two vector functions"
    Select(element(page, "#example")).select_by_value(name)
    assert element(page, "#text").get_attribute("value") == PROGRAMS[name][1]
    assert element(page, "#verb").get_attribute("value") == PROGRAMS[name][0] == "fuse"
    element(page, "#text").send_keys(Keys.CONTROL, Keys.ENTER)
    WebDriverWait(page, 60).until(lambda it: element(page, "#status").text == "done")


def test_text_is_never_taken_for_markup(page: Chrome) -> None:
    paste(page, 'func.func @f() {\n  "<img src=x onerror=document.title=1>"() : () -> ()\n')
    run(page, "solve")
    assert page.title == "layoutsolver"
    assert page.find_elements(By.CSS_SELECTOR, "#said img, #answer img") == []


def test_the_page_loads_nothing_from_elsewhere(client: httpx.Client) -> None:
    text = Path("layoutsolver/service/page/index.html").read_text(encoding="utf-8")
    assert client.get("/").text == text
    assert not re.search(r"https?://|src=|@import", text)
