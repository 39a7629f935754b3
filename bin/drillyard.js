#!/usr/bin/env node
import { keepPackages, loadBundle } from '../dist/bundle/loading-bundle-loader.js';

keepPackages();
await loadBundle('cli-main').main(process.argv.slice(2));
