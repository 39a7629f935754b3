// The Chromium that tests and benches open pages in, where the machine has one.
import { existsSync } from 'node:fs';

const places = [process.env.DRILLYARD_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const chromiumPath = places.find((place): place is string => place !== undefined && existsSync(place));
export const chromiumArguments = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
