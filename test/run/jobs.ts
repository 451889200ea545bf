/** Which files run, in which passes, and in which order. */
import { readdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { passes, type Pass } from '../passes.ts'
import type { RunOptions } from './options.ts'

/** One file in one pass. */
export interface Job {
  readonly file: string
  readonly pass: Pass
  /** `test/unit/runtime/config/config`: the file's name without the folder it was compiled to. */
  readonly title: string
  /** The title, with the name of the pass: `test/unit/gateway/server/http, Node 24`. */
  readonly label: string
}

/** In the order of their start: quick ones first. */
const suites = ['unit', 'sim', 'cluster', 'contract', 'attack', 'e2e']
/** Their failures are findings: of a protocol under kills, or of a boundary. */
export const findings = /^test\/(cluster|sim|attack|e2e\/survival)\//
export const isFinding = ({ title }: Job): boolean => findings.test(title)

/** Files that take long begin first in their suite, so that all lanes end at about the same time. */
const longFirst = [
  ...['test/e2e/portal/portal', 'test/e2e/survival/task-survival', 'test/e2e/tasks/hostile-model'],
  ...[
    'test/e2e/tasks/own-session',
    'test/e2e/access/seo-audit',
    'test/e2e/tasks/tasks',
    'test/e2e/live/live-view',
  ],
  ...['test/e2e/tasks/faults', 'test/e2e/portal/changes', 'test/e2e/tasks/orders'],
]

/** What counts most comes first in its suite, since on a slow machine the last files are left out. */
const worth = ['survival', 'tasks', 'live', 'page', 'setup', 'desktop', 'video', 'console']

/** `unit` of `test/unit/runtime/config/config`. */
export const suiteOf = (label: string): string => label.split('/')[1] ?? ''

/** All jobs below the folder `root` whose label has one of `filters`; usual passes come first. */
export function jobsIn(root: string, filters: readonly string[]): Job[] {
  const all = suites.flatMap((suite) => jobsOf(root, suite, filters))
  // On a slow machine the further passes are left out, so they come last.
  return all.toSorted((a, b) => Number(a.pass.name !== '') - Number(b.pass.name !== ''))
}

/** Every so many-th job, so that long files, which begin first, are spread over the parts. */
export function partOf(jobs: readonly Job[], { part, of }: RunOptions['shard']): Job[] {
  return jobs.filter((_, index) => index % of === part - 1)
}

function jobsOf(root: string, suite: string, filters: readonly string[]): Job[] {
  const wanted = filters.map((filter) => filter.replace(/\.(test\.)?[jt]s$/, ''))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith(`${suite}/`) && name.endsWith('.test.js'))
    .map((name) => join(root, name))
    .sort()
  return passes()
    .flatMap((pass) => files.map((file) => jobOf(root, file, pass)))
    .filter(({ title, pass }) => pass.has(title))
    .filter(({ label }) => wanted.length === 0 || wanted.some((text) => label.includes(text)))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
}

function jobOf(root: string, file: string, pass: Pass): Job {
  const title = join(basename(root), relative(root, file)).replace(/\.test\.js$/, '')
  return { file, pass, title, label: pass.name === '' ? title : `${title}, ${pass.name}` }
}

function placeOf({ title }: Job): number {
  const place = longFirst.indexOf(title)
  if (place >= 0) return place
  const [, suite, folder = ''] = title.split('/')
  const rank = suite === 'e2e' ? worth.indexOf(folder) : 0
  return longFirst.length + (rank < 0 ? worth.length : rank)
}
