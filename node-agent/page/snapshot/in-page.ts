/**
 * The source of the functions that run in pages: all files combined into one function, and the
 * names that are called from here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/lib/package.ts'

const folder = join(packageRoot, 'node-agent', 'page', 'snapshot', 'in-page')
const files = [
  'tree',
  'visible',
  'roles',
  'states',
  'clickable',
  'lines',
  'walk',
  'read',
  'extract',
  'api',
]
const calls = ['read', 'fateOf', 'elementOf', 'askable', 'listen', 'openRoots', 'size']
const all = [...calls, 'extract']

/** A global of the isolated world, which the page cannot see. */
export const inPageGlobal = 'globalThis.troupe'

const body = files.map((file) => readFileSync(join(folder, `${file}.js`), 'utf8')).join('\n')

/**
 * Installs the functions unless they are there already, and returns the id given to the document.
 */
export const installInPage = (documentId: string) =>
  `(${inPageGlobal} ??= (() => {'use strict'\n${body}\nreturn {${all}, id: '${documentId}'}})()).id`
