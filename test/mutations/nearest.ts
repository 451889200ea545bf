/**
 * The test files that are most likely to find a fault in a source file: those that are named after
 * the same things, and among them those that need the fewest steps to reach it.
 */
import { findings } from '../run/jobs.ts'
import type { SourceGraph } from '../run/changed/source-graph.ts'

/** They read sources as text, or test the tools of the tests. */
const leftOut = /^test\/(unit\/(repository|test)|bench)\//

export function nearestTests(graph: SourceGraph, source: string, most: number): readonly string[] {
  const own = wordsOf(source)
  const candidates = [...graph.reaching([source])]
    .filter(([file]) => file.endsWith('.test.ts') && !leftOut.test(file))
    .map(([file, steps]) => {
      const common = [...wordsOf(file)].filter((word) => own.has(word)).length
      // Files about kills run long, and are named after no source.
      return { file, steps, common: findings.test(file) ? common - 1 : common }
    })
  return candidates
    .toSorted((a, b) => b.common - a.common || a.steps - b.steps || (a.file < b.file ? -1 : 1))
    .slice(0, most)
    .map(({ file }) => file.replace(/\.test\.ts$/, ''))
}

const wordsOf = (path: string): ReadonlySet<string> =>
  new Set(
    path
      .replace(/(\.test)?\.tsx?$/, '')
      .split(/[/-]/)
      .filter((word) => word !== 'test'),
  )
