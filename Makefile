# SPDX-License-Identifier: BSD-3-Clause
# A thin front: what each target does is in scripts/. `make run SCENE=scenes/...` runs another scene.
SCENE ?= scenes/papers/capobianco/tippe_top.toml

.PHONY: build run python mpi check pages docs gallery sweep fuzz bench format clean

build:
	@scripts/setup build
	@scripts/build

run:
	@scripts/setup run
	@scripts/build
	@scripts/run "$(SCENE)"

python:
	@scripts/setup python
	@scripts/python

mpi:
	@scripts/build mpi

check:
	@scripts/setup check
	@scripts/check

pages:
	@scripts/setup check
	@scripts/build
	@scripts/check_browser build/release/stickslip all

docs:
	@scripts/setup docs
	@scripts/docs

gallery:
	@scripts/setup gallery
	@scripts/build
	@scripts/gallery

sweep:
	@scripts/setup check
	@scripts/sweep

fuzz:
	@scripts/setup check
	@scripts/check_sanitizers
	@scripts/fuzz 60

bench:
	@scripts/setup check
	@scripts/bench

format:
	@scripts/setup check
	@scripts/check_format --fix

clean:
	rm -rf build
