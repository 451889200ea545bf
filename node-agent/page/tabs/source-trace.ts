/** Traces of our functions in pages, in the terms of their sources. */
import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { relative, resolve } from 'node:path'
import { packageRoot } from '../../../runtime/lib/package.ts'
import {
  installedFileName,
  linesBeforeBundle,
} from '../../../runtime/browser-host/page-functions.ts'
import { pageBundlePath } from '../../../runtime/browser-host/page-bundles.ts'

let known: SourceMap | undefined

/** Read when something has failed for the first time. */
function mapOfBundle(): SourceMap {
  if (known) return known
  const text = readFileSync(`${pageBundlePath('page')}.map`, 'utf8')
  return (known = new SourceMap(JSON.parse(text) as SourceMapPayload))
}

const place = new RegExp(`${installedFileName.replace('.', '\\.')}:(\\d+):(\\d+)`, 'g')

/** Replaces the places in the bundle by file, line and column of the source. */
export const sourceTrace = (trace: string | undefined): string | undefined =>
  trace?.replace(place, (written, line: string, column: string) => {
    const found = mapOfBundle().findEntry(Number(line) - 1 - linesBeforeBundle, Number(column) - 1)
    if (!('originalSource' in found)) return written
    const file = resolve(pageBundlePath('page'), '..', found.originalSource)
    const { originalLine, originalColumn } = found
    return `${relative(packageRoot, file)}:${originalLine + 1}:${originalColumn + 1}`
  })
