"""A text becomes part of a page only escaped."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings, strategies as st

from biblicus_context.pages.markup import Html, fragment, shown, tag


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text = ""
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


@settings(max_examples=80)
@given(st.text(), st.text())
def test_any_text_is_read_back_as_text_and_any_attribute_as_that_attribute(text, attribute):
    reader = read(tag("p", text, title=attribute))
    assert reader.elements == [("p", {"title": shown(attribute)})]
    assert reader.text == shown(text)


@given(st.text(alphabet=st.characters(codec=None)))
def test_whatever_is_shown_can_be_encoded_and_has_no_control_characters(text):
    assert shown(text).encode("utf-8").decode("utf-8") == shown(text)
    assert not any(ord(sign) < 32 and sign not in "\t\n" for sign in shown(text))


def test_markup_stays_markup_numbers_and_rows_are_children_and_nothing_is_nothing():
    inner = tag("b", 1, None, ["<", tag("i")])
    assert tag("p", inner) == "<p><b>1&lt;<i></i></b></p>"
    assert isinstance(fragment("a", inner), Html)


def test_attributes_that_are_false_or_none_are_not_there_and_true_needs_no_value():
    assert tag("p", hidden=True, id=None, open=False, tabindex=0) == '<p hidden tabindex="0"></p>'


def test_a_name_with_an_underscore_stands_for_one_with_a_dash():
    markup = tag("div", class_="a", aria_label='"x"')
    assert markup == '<div class="a" aria-label="&quot;x&quot;"></div>'


def test_elements_without_content_have_no_end():
    assert tag("meta", charset="utf-8") == '<meta charset="utf-8">'
