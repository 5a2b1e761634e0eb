// SPDX-License-Identifier: BSD-3-Clause
// Starts Debian's headless Chromium, which draws WebGL 2 by software.
import {chromium} from 'playwright-core';
import {accessSync, constants} from 'node:fs';

const kPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export function find_browser() {
  return kPaths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export function start_browser() {
  return chromium.launch({
    executablePath: find_browser(),
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
}
