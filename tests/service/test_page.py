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

from layoutsolver.service.examples import CONFLICT, PACKED, PROGRAMS

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
    WebDriverWait(browser, 20).until(lambda it: it.find_elements(By.CSS_SELECTOR, "#example option"))
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
    chosen = page.execute_script(script)
