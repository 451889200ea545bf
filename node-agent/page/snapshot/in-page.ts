/** The source of what runs in pages: one function of all files, and what of it is called from here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../runtime/package.ts'

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
const calls = ['read', 'fateOf', 'number', 'elementOf', 'askable', 'listen', 'openRoots', 'size']
const all = [...calls, 'extract']

/** Where the page cannot see it. */
export const home = 'globalThis.troupe'

const body = files.map((file) => readFileSync(join(folder, `${file}.js`), 'utf8')).join('\n')

/** Settles in, unless it is there already, and answers the document's own id. */
export const settle = (documentId: string) =>
  `(${home} ??= (() => {'use strict'\n${body}\nreturn {${all}, id: '${documentId}'}})()).id`
