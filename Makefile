# Everything runs through .venv/bin/python -m ...: console scripts break in paths with spaces.

PYTHON ?= python3
PYTHON312 ?= python3.12
SITE ?= book/_build/html
PORT ?= 8000
NAME ?=
ITEM ?=
FRESH ?=
CASES ?=
PERCENT ?= 1
MINUTES ?= 10
EXAMPLES ?= 2000
EVERY ?= 12
LAWS ?= 100000
SUBMISSIONS ?=
VERSION ?=
PROOFS ?=
STEPS ?=

python := .venv/bin/python
pytest := $(python) -m pytest -q -n 2 --dist loadfile
data := $(if $(wildcard ../shared/data),CALIB_DATA="$${CALIB_DATA:-../shared/data}")
# TERM only as it stands on the command line: the environment names a terminal by it.
term := $(if $(findstring command,$(origin TERM)),--term "$(TERM)")
site-tests := tests/book/test_pages.py tests/book/test_site.py tests/book/test_widgets.py \
  tests/book/test_report_page.py tests/book/test_calibrate_page.py
not-site := $(patsubst %,--ignore %,$(site-tests) tests/book/test_notebook_archive.py tests/book/test_pdf.py \
  tests/book/test_epub.py)
# What calls no kernel, or only by way of calibrators and measures that have tests of their own.
above-calib := check_estimator classifier contract_table counts dirichlet_process prior_shift protocol \
  rounding routing selection stacking validation
above-calibkit := bad_files clinical clinical_numbers clusters commands comparison comparison_of_counts counting \
  coverage_of_limits cross_fitted dask datasets_real decisions delong diagrams discrete drawn fewer_pieces \
  jobs_clinician jobs_credit jobs_engineer jobs_forecaster jobs_stated_probability json_lines multiclass_stacking \
  order_of_rows outlets report scorers testing theory_and_laws
above := $(patsubst %,tests/calib/test_%.py,$(above-calib)) \
  $(patsubst %,tests/calibkit/test_%.py,$(above-calibkit)) \
  calib/classifier calib/methods/stacking.py calibkit/cli calibkit/comparison calibkit/deployment/dask.py \
  calibkit/multiclass/stacking.py calibkit/report
built := book/_build/built
pages := _config.yml _toc.yml pyproject.toml requirements.lock tools/build_site.py \
  tools/notebook_archive.py CHANGELOG.md \
  tools/distributions.py MANIFEST.in README.md \
  $(wildcard book/*.md book/api/*.md book/*.py book/hour/*.* book/*.bib book/_ext/*.* book/_static/* book/_static/*/* book/_templates/*) \
  $(wildcard notebooks/*.ipynb course/*.* course/tools/*.py course/sets/*/*.* course/slides/*.* course/exams/*.* course/projects/*/*.*) \
  $(wildcard calib/*.py calib/*/*.py calib/*/*/*.py calibkit/*.py calibkit/*/*.py experiments/*.py experiments/*/*.py results/*.csv \
  results/protocols/*.txt publications/*.csv calibkit/testing/*.json vectors/*.R vectors/*.js)

.PHONY: help set-up book pdf epub archive serve test test-package test-plain test-notebooks test-archive test-site \
  test-pdf test-wheel release proofs fuzz mutants attack verdicts test-perturbed test-processors lint notebooks \
  results reproduce audit second-hand publish bench vectors twice course course-grade course-mark course-test clean
.NOTPARALLEL:

# Two workers on two cores: more threads would wait for each other.
test-package test-plain test-notebooks test-archive course-test: export OMP_NUM_THREADS ?= 1

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' Makefile

book: $(built)  ## build the site; make book SITE=folder puts a copy there
	@$(python) tools/place_site.py "$(SITE)"

pdf: $(built)  ## print the short book and the whole one as PDFs; needs Chromium
	$(python) tools/build_pdf.py
	$(python) tools/offer_downloads.py

epub: $(built)  ## make EPUBs of both, for e-readers; the site offers what has been made
	$(python) tools/build_epub.py
	$(python) tools/offer_downloads.py

archive: .venv/set-up  ## put the notebooks into an archive that runs by itself
	$(python) tools/notebook_archive.py

# The archive has every notebook and its outputs: test-notebooks would compare the same once more.
test: test-package test-plain test-archive test-site  ## run the whole test suite

serve: $(built)  ## build the site and serve it on http://localhost:8000; PORT=... changes that
	$(python) -m http.server $(PORT) --bind 127.0.0.1 --directory book/_build/html

lint: .venv/set-up  ## check style, formatting and types of the code
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy --no-error-summary calib calibkit

notebooks: .venv/set-up  ## run every notebook again, in place; NAME=notebooks/x.ipynb only that
	$(python) tools/run_notebooks.py $(or $(NAME),--all)

results: .venv/set-up  ## run the long experiments and record them; NAME=... only that one
	$(data) $(python) -m experiments $(NAME)
	$(python) -m experiments ledger

reproduce: .venv/set-up  ## a table or figure: ITEM=...; FRESH=1 anew, CASES=5 a few cases anew
	@$(data) $(python) -m experiments reproduce $(ITEM) $(if $(FRESH),--fresh) \
	  $(if $(CASES),--cases $(CASES))

audit: .venv/set-up  ## compute a random PERCENT=1 of all records anew, in MINUTES=10
	@$(data) OMP_NUM_THREADS=1 $(python) -m experiments audit \
	  --percent $(PERCENT) --minutes $(MINUTES)

second-hand: .venv/set-up  ## run the protocols that were written again in R, where R is there
	@if command -v Rscript >/dev/null; then $(data) $(python) -m experiments.second_hand && \
	  $(python) -m experiments ledger; else \
	  echo "R is missing, nothing was run: apt-get install r-base-core r-cran-e1071 weka r-cran-rjava"; fi

publish: .venv/set-up  ## write five replication reports, the claims and codecheck.yml
	$(python) -m experiments publish

verdicts: .venv/set-up  ## judge the verdict of the report on files of known truth; long
	$(python) -m experiments verdicts verdicts_advice
	$(python) -m experiments.verdicts

bench: .venv-bench/set-up  ## measure calib against its peers, in an environment of its own
	if $(PYTHON312) --version >/dev/null 2>&1; then \
	  $(MAKE) .venv-bench-calibre/set-up PYTHON=$(PYTHON312); fi
	.venv-bench/bin/python benchmarks/cold_start.py
	.venv-bench/bin/python benchmarks/one_sort.py
	.venv-bench/bin/python benchmarks/run.py
	.venv-bench/bin/python benchmarks/large.py
	.venv-bench/bin/python benchmarks/limits.py
	.venv-bench/bin/python benchmarks/many_rows.py
	.venv-bench/bin/python benchmarks/agreement.py
	.venv-bench/bin/python benchmarks/conformance.py

vectors: .venv/set-up  ## write the test vectors, and the table of who passes them from its record
	$(python) -m vectors
	$(python) benchmarks/vectors.py table

course: .venv-course/set-up  ## problem sets, slides, exams, projects; TERM=... seeds them, START=2026-10-05 dates them
	.venv-course/bin/python -m course.tools.build $(term)
	.venv-course/bin/python -m course.tools.slides course/release/slides
	.venv-course/bin/python -m course.tools.papers course/release --tasks
	.venv-course/bin/python -m course.tools.build $(term) --archives $(if $(START),--start "$(START)")
	.venv-course/bin/python -m course.tools.papers course/archives/exams-and-projects $(term)

course-grade: .venv-course/set-up  ## grade the notebooks of SUBMISSIONS=folder, of the term TERM=...
	.venv-course/bin/python -m course.tools.grade "$(SUBMISSIONS)" $(term)

course-mark: .venv-course/set-up  ## mark the written answers of SUBMISSIONS=folder; MARKER=name is a second marker
	.venv-course/bin/python -m course.tools.desk "$(SUBMISSIONS)" $(if $(MARKER),--marker "$(MARKER)")

course-test: .venv-course/set-up  ## grade right and wrong answers to every problem set
	.venv-course/bin/python -m pytest -q -c course/pytest.ini --rootdir . -n 2 --dist loadgroup \
	  course/tests

# In the order of tests/conftest.py, the longest file first: pytest-xdist would begin with many tests.
test-package: .venv/set-up  ## unit tests and doctests
	$(pytest) --no-loadscope-reorder calib calibkit experiments tests $(not-site)

test-plain: .venv/set-up  ## the small tests of kernels once more without compilation
	NUMBA_DISABLE_JIT=1 $(pytest) calib calibkit tests/calib tests/calibkit \
	  $(patsubst %,--ignore %,$(above)) -m "not slow" -k "not StackedCalibrator and not 131372"

# Without CALIB_DATA: the stored outputs are what a reader without the data files gets.
test-notebooks: .venv/set-up  ## run every notebook and compare with its stored outputs
	env -u CALIB_DATA $(pytest) --nbval --nbval-current-env \
	  --nbval-sanitize-with tests/nbval_sanitize.cfg notebooks

test-archive: .venv/set-up  ## run every notebook from the archive that the site offers
	$(python) -m pytest -q -n 2 tests/book/test_notebook_archive.py

test-perturbed: .venv/set-up  ## every notebook, its inputs moved in the thirteenth digit
	$(python) tools/test_processors.py PERTURBATION=1

test-processors: .venv/set-up  ## every notebook as other processors would compute it
	$(python) tools/test_processors.py

fuzz: .venv/set-up  ## every calibrator on random input of every form; EXAMPLES=... of each, SEED=... repeats a run
	@seed=$${SEED:-$$($(python) -c "import secrets; print(secrets.randbits(32))")}; \
	echo "make fuzz SEED=$$seed EXAMPLES=$(EXAMPLES)"; \
	FUZZ_EXAMPLES=$(EXAMPLES) $(pytest) --hypothesis-profile=default --hypothesis-seed="$$seed" tests/calib/test_fuzz.py

mutants: .venv/set-up  ## change the code in small ways and see whether a test fails; EVERY=12
	$(python) tools/mutate.py --every $(EVERY)

attack: .venv/set-up  ## search for laws that violate a theorem of the book; LAWS=100000 of them
	OMP_NUM_THREADS=1 $(python) -m experiments.attack --laws $(LAWS)

test-site: $(built)  ## links, offline reading, and every page in a browser
	SITE=book/_build/html $(pytest) $(site-tests)

test-pdf: pdf epub  ## make the books for paper and e-readers, and look at them
	$(python) -m pytest -q tests/book/test_pdf.py tests/book/test_epub.py

proofs:  ## check the formal proofs; needs Coq, PROOFS=optional passes without it
	@if command -v coqc >/dev/null; then $(PYTHON) proofs/check.py; else \
	  echo "Coq is missing: apt-get install coq libcoq-mathcomp-ssreflect"; test "$(PROOFS)" = optional; fi

release: .venv/set-up  ## VERSION=0.3.0: write it, test, build, tag, and collect what is published
	$(python) tools/release.py $(VERSION)

twice:  ## build site and course on two machines, as it were, and compare; STEPS="book course pdf epub"
	$(PYTHON) tools/build_twice.py $(STEPS)

test-wheel: .venv/set-up  ## build the distributions and test the installed package by itself
	$(python) tools/check_wheel.py

set-up: .venv/set-up  ## create .venv from requirements-hashed.lock

clean:  ## remove the built site and the environments
	rm -rf book/_build .venv .venv-bench .venv-bench-calibre .venv-course

$(built): .venv/set-up $(pages)
	$(python) tools/run_notebooks.py
	$(python) tools/build_site.py book
	@touch $@

.venv/set-up: requirements-hashed.lock pyproject.toml
	$(call install,.venv,requirements-hashed.lock --require-hashes)

.venv-bench/set-up: benchmarks/requirements.txt requirements.lock pyproject.toml
	$(call install,.venv-bench,benchmarks/requirements.txt)

.venv-bench-calibre/set-up: benchmarks/requirements-calibre.txt requirements.lock pyproject.toml
	$(call install,.venv-bench-calibre,benchmarks/requirements-calibre.txt)

.venv-course/set-up: course/requirements-course-hashed.lock pyproject.toml
	$(call install,.venv-course,course/requirements-course-hashed.lock --require-hashes)

# install(environment, requirements): a virtual environment with the requirements and calib itself.
# With --require-hashes pip takes no file whose SHA-256 is not in the requirements.
define install
@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo \
  "Python 3.11 or newer is needed; name one, for example: make book PYTHON=python3.12"; exit 1; }
@echo "Setting up $(1); this takes a minute or two, once."
test -x $(1)/bin/python || $(PYTHON) -m venv $(1) || { rm -rf $(1); exit 1; }
$(1)/bin/python -m pip install --quiet --disable-pip-version-check -r $(2)
$(1)/bin/python -m pip install --quiet --disable-pip-version-check \
  --no-deps --no-build-isolation --editable .
@$(1)/bin/python -c "import matplotlib.pyplot"  # or the first notebook reports a font cache
@touch $(1)/set-up
endef
