"""The book as a PDF: links, bookmarks, fonts, formulas, and nothing beyond the text.

The PDF is the one that make pdf has printed; without it, or without a tool, tests are skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pikepdf
import pytest
import yaml
from bs4 import BeautifulSoup

import calib

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import build_pdf  # noqa: E402
