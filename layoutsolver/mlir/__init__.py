"""MLIR text: lexer, lossless reader, types, edits."""
