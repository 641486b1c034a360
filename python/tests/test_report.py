"""The report in a real browser: no errors, the library's values, with scripts off, narrow and wide.

The browser is Chromium, driven by Playwright's client; where one of them is not installed these tests are skipped and
say so. `./run test` installs both where it can."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from behavior_learning import BLChoice, BLClassifier, BLRegressor

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with playwright.sync_playwright() as client:
        started = client.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "<script>window.hacked = 1</script>": rng.normal(size=300),
            "hours \"per\" week 🚲": rng.uniform(10, 60, 300).round(),
            "town": rng.choice(["Bern", "Genf", "</td>Ulm"], 300),
        }
    )
    frame.loc[5, "town"] = None
    score = frame.iloc[:, 0] + 0.05 * (frame.iloc[:, 1] - 35) + 0.4 * rng.normal(size=300)
    return frame, score


@pytest.fixture(scope="module")
def pages(people, choices, tmp_path_factory):
    """Three reports and their estimators: a class, a number, a choice."""
    frame, score = people
    folder = tmp_path_factory.mktemp("reports")
    labels = np.where(score > 0.5, "high", np.where(score < -0.5, "low", "<i>middle</i>"))
    made = {
        "class": (BLClassifier(epochs=15, seed=1).fit(frame, labels), (frame, labels)),
        "number": (BLRegressor(epochs=15, seed=1).fit(frame, score), (frame, score)),
        "choice": (
            BLChoice(
                layout="long",
                situation="situation",
                alternative="alternative",
                chosen="chosen == 1",
                attributes={"price": "price", "quality": "quality"},
            ).fit(choices[0]),
            (choices[0],),
        ),
    }
    found = {}
    for kind, (estimator, rows) in made.items():
        path = folder / f"{kind}.html"
        estimator.report(*rows).save(path)
        found[kind] = (path, estimator)
    return found


def opened(browser, path, width=1400, scripts=True):
    context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=scripts)
    page = context.new_page()
    page.problems = []
    page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on("request", lambda request: page.problems.append(request.url) if request.url.startswith("http") else None)
    page.goto(path.as_uri())
    return page


def answer(page):
    return json.loads(page.locator("#answer").get_attribute("data-values"))


def move(page, name, value):
    """Sets a slider of the what-if and lets the page answer."""
    page.evaluate(
        """([name, value]) => {
            const input = [...document.querySelectorAll('#what-if-controls input[type=range]')]
                .find((one) => one.dataset.name === name);
            input.value = value;
            input.dispatchEvent(new Event('input'));
        }""",
        [name, value],
    )


def start_row(page):
    return page.evaluate("JSON.parse(document.getElementById('report-data').textContent)")


@pytest.mark.parametrize("kind", ["class", "number", "choice"])
@pytest.mark.parametrize("width", [400, 1400])
def test_opens_without_errors_and_without_sideways_scrolling(browser, pages, kind, width):
    page = opened(browser, pages[kind][0], width)
    assert page.problems == []
    assert page.evaluate("window.hacked") is None
    assert page.locator("h1").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("kind", ["class", "number"])
def test_sliders_give_the_values_of_the_library(browser, pages, kind):
    path, estimator = pages[kind]
    page = opened(browser, path)
    columns = start_row(page)["columns"]
    row = {column["name"]: column["value"] for column in columns}
    for name, value in [(columns[0]["name"], 0.75), (columns[1]["name"], 52)]:
        move(page, name, value)
        row[name] = value
        frame = pd.DataFrame([row])
        if kind == "class":
            assert np.allclose(answer(page), estimator.predict_proba(frame)[0], rtol=0, atol=1e-6)
        else:
            assert np.isclose(answer(page)["mean"], estimator.predict(frame)[0], rtol=1e-6)
            expected = estimator.predict_quantiles(frame, [0.05, 0.95])[0]
            assert np.allclose([answer(page)["lower"], answer(page)["upper"]], expected, rtol=1e-6)
    assert page.problems == []


def test_attributes_of_alternatives_move_the_choice(browser, pages):
    path, estimator = pages["choice"]
    page = opened(browser, path)
    start = start_row(page)["alternatives"]
    rows = [
        {"situation": 0, "alternative": one["name"], "chosen": int(k == 0)}
        | {attribute["name"]: attribute["value"] for attribute in one["attributes"]}
        for k, one in enumerate(start)
    ]
    assert np.allclose(answer(page), estimator.predict_proba(pd.DataFrame(rows))[0], rtol=0, atol=1e-6)
    move(page, "price", 2.75)  # the first slider of that name: of the first alternative
    rows[0]["price"] = 2.75
    assert np.allclose(answer(page), estimator.predict_proba(pd.DataFrame(rows))[0], rtol=0, atol=1e-6)
    before = page.locator("#market-answer").get_attribute("data-values")
    page.locator("#market-factor").press("ArrowRight")
    assert page.locator("#market-answer").get_attribute("data-values") != before


def test_a_block_opens_from_the_picture_by_keyboard_and_from_a_link(browser, pages):
    page = opened(browser, pages["class"][0])
    box = page.locator("#network [data-block]").first
    name = box.get_attribute("data-block")
    block = page.locator(f"[id='block-{name}']")
    assert not block.evaluate("e => e.open")
    box.focus()
    page.keyboard.press("Enter")
    assert block.evaluate("e => e.open")
    assert block.locator(".heads").first.is_visible()


def test_the_link_keeps_the_state(browser, pages):
    path, _ = pages["class"]
    page = opened(browser, path)
    name = start_row(page)["columns"][0]["name"]
    move(page, name, 0.5)
    kept = answer(page)
    link = page.locator("#state-link").get_attribute("href")
    other = opened(browser, path)
    other.goto(path.as_uri() + link)
    other.reload()
    assert answer(other) == kept


@pytest.mark.parametrize("kind", ["class", "number", "choice"])
def test_essentials_are_there_without_scripts(browser, pages, kind):
    page = opened(browser, pages[kind][0], scripts=False)
    for title in ["How good it is", "The problem that was learned", "The record"]:
        assert page.get_by_role("heading", name=title).is_visible()
    assert page.locator("#start-values").is_visible()
    assert page.locator("#quality svg").first.is_visible()
    page.locator("summary").first.click()


def busy_seconds(clock):
    return {one["name"]: one["value"] for one in clock.send("Performance.getMetrics")["metrics"]}["TaskDuration"]


@pytest.mark.parametrize("kind", ["class", "number", "choice"])
def test_answers_within_50_milliseconds_and_opens_within_a_second(browser, pages, kind):
    """By the processor time of the page, which other programs do not change."""
    page = browser.new_page()
    clock = page.context.new_cdp_session(page)
    clock.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(pages[kind][0].as_uri())
    assert busy_seconds(clock) < 1
    name = page.evaluate("document.querySelector('#what-if-controls input[type=range]').dataset.name")
    times = []
    for value in np.linspace(1, 2, 5):
        before = busy_seconds(clock)
        move(page, name, float(value))
        times.append(busy_seconds(clock) - before)
    assert np.median(times) < 0.05


def test_the_utility_and_a_map_of_two_columns_are_drawn(browser, pages):
    page = opened(browser, pages["number"][0])
    page.get_by_label("show").select_option("u")
    assert "utility" in page.locator("#live-curve svg").get_attribute("aria-label").lower()
    page.get_by_label("show").select_option("p")
    page.get_by_label("and as a map with").select_option(index=2)
    assert page.locator("#live-curve .heat rect").count() > 100
    assert page.problems == []


def test_notebooks_show_the_page_in_a_frame(numbers):
    X, y = numbers
    report = BLRegressor(epochs=5).fit(X, y).report(X, y, title="A & B", row=3)
    assert "<title>A &amp; B</title>" in str(report)
    assert report._repr_html_().startswith("<iframe") and "&lt;!DOCTYPE html&gt;" in report._repr_html_()
    assert "save(path)" in repr(report)
