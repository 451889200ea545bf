#!/usr/bin/env node
/** The program `troupe`. Its command `browser` is a program of its own, which starts faster. */
import { programPath } from '../process/programs.ts'

await (process.argv[2] === 'browser'
  ? import(programPath('troupe-browser'))
  : import('./troupe.ts'))
