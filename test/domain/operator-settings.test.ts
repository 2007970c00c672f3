import { expect, test } from 'vitest';
import { readGeocoder, readServerUrl, tilesFault } from '../../src/domain/operator-settings.ts';

test.each([
  ['https://osrm.example/', 'https://osrm.example'],
  [' http://osrm.example:5000/eu// ', 'http://osrm.example:5000/eu'],
  ['osrm', null],
  ['ftp://osrm.example', null],
  ['https://me@osrm.example', null],
  ['https://:secret@osrm.example', null],
  ['https://osrm.example/?key=1', null],
  ['https://osrm.example/#top', null],
])('%j is the server %s', (text, url) => {
  expect(readServerUrl(text)).toBe(url);
});

test.each([
  ['census+https://geo.example/', { name: 'census', url: 'https://geo.example' }],
  ['google+https://geo.example', null],
  ['census+geo', null],
  ['census', null],
])('%j is the geocoder %j', (text, geocoder) => {
  expect(readGeocoder(text)).toEqual(geocoder);
});

const notSafe = 'must be a URL that starts with https:// and has no password';
test.each([
  ['https://tiles.example/{z}/{x}/{y}.png', null],
  ['http://localhost:8080/{z}/{x}/{y}.png', null],
  ['http://127.0.0.1/{z}/{x}/{y}.png', null],
  ['http://tiles.example/{z}/{x}/{y}.png', notSafe],
  ['ftp://localhost/{z}/{x}/{y}.png', notSafe],
  ['https://me@tiles.example/{z}/{x}/{y}.png', notSafe],
  ['tiles', notSafe],
  ['https://{s}.tiles.example/{z}/{x}/{y}.png', 'must name one host, without {s} or other placeholders'],
  ['https://tiles.example/{z}/1.png', 'must contain {x}, {y}'],
])('tiles at %s: %s', (url, fault) => {
  expect(tilesFault(url)).toBe(fault);
});
