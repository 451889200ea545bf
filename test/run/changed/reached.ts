/** Which test files a change reaches. */
import { posix } from 'node:path'
import type { SourceGraph } from './source-graph.ts'

/** They read the sources as text, so each change reaches them. */
const readers = /^test\/unit\/repository\//
/** Every file depends on what is installed and on how it is compiled. */
const forAll = /^(package(-lock)?\.json|tsconfig\.json|\.ci\/.*)$/
/** Documentation is compared with the service, and its commands are run. */
const isText = /\.md$/
const readersOfText = /^test\/(contract|e2e)\/docs\//
const isSource = /\.tsx?$/

/**
 * The titles (`test/unit/runtime/config/config`) of files that a change reaches. A file that is no
 * source, such as a page or a style, counts as a change of the sources beside it, or of those in the
 * nearest folder above it.
 */
export function reachedTitles(graph: SourceGraph, changed: readonly string[]): ReadonlySet<string> {
  const tests = graph.files.filter((file) => file.endsWith('.test.ts'))
  if (changed.length === 0) return new Set()
  if (changed.some((file) => forAll.test(file))) return new Set(tests.map(titleOf))
  const seeds = changed.flatMap((file) => {
    if (isText.test(file)) return []
    return isSource.test(file) ? [file] : sourcesNear(graph, posix.dirname(file))
  })
  const reaching = graph.reaching(seeds)
  const hasText = changed.some((file) => isText.test(file))
  const isReached = (file: string) =>
    reaching.has(file) || readers.test(file) || (hasText && readersOfText.test(file))
  return new Set(tests.filter(isReached).map(titleOf))
}

const titleOf = (file: string) => file.replace(/\.test\.ts$/, '')

function sourcesNear(graph: SourceGraph, folder: string): readonly string[] {
  if (folder === '.') return []
  const beside = graph.files.filter((file) => posix.dirname(file) === folder)
  return beside.length > 0 ? beside : sourcesNear(graph, posix.dirname(folder))
}
