"""Pages of the reading test, by kind."""


def kind_of(page):
    """Kind of a page: chapter, front page or API page."""
    if page.startswith("objects/"):
        return "API page"
    return "front page" if page == "README" or page.startswith("book/") else "chapter"
