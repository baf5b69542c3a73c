'use strict';
/* A program that a node of the single file forks. The main of a single file can't import it: it knows no files. */
const { pathToFileURL } = require('node:url');

import(pathToFileURL(process.argv[2]).href);
