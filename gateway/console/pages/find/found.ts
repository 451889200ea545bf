/** What the field at the top of every page finds: pages, sessions, tasks and keys that the key may see. */
import { truncateText } from '../../../../runtime/lib/text/clean.ts'
import { withQuery, type Tone } from '../../../html/parts.tsx'
import { consoleLimits } from '../../limits.ts'
import { countWord } from '../../lists/list-parts.tsx'
import { hasWords, type ConsoleListPage } from '../../lists/list-query.ts'
import { isInScope } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'
import { findKeys, keyQuery } from '../keys/key-query.ts'
import { keyStateWords } from '../keys/key-words.ts'
import { findSessions, sessionQuery, visibleSessions } from '../sessions/list/session-query.ts'
import { sessionState } from '../sessions/session-words.ts'
import { findTasks, taskQuery, visibleTasks } from '../tasks/list/task-query.ts'
import { seesTasks } from '../tasks/list/task-row.tsx'
import { taskStateWord } from '../tasks/task-words.ts'

export interface Hit {
  readonly href: string
  readonly name: string
  /** What tells it from others. */
  readonly about?: string
  readonly state?: { readonly tone: Tone; readonly label: string }
}

export interface HitGroup {
  readonly label: string
  readonly hits: readonly Hit[]
  /** Leads to the list of all of them. */
  readonly more?: Hit
}

/** Groups without a hit are left out. Without a text, only pages are found. */
export async function findAll(visit: ConsoleVisit, text: string): Promise<readonly HitGroup[]> {
  if (text === '') return [pagesFound(visit, [])]
  const asked = new URLSearchParams({ show: 'all', search: text })
  const groups = [
    pagesFound(visit, sessionQuery(asked).words),
    sessionsFound(visit, asked),
    ...(isInScope(visit.facts.principal, seesTasks) ? [tasksFound(visit, asked)] : []),
    ...(visit.isAdmin ? [await keysFound(visit, asked)] : []),
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}

function pagesFound(visit: ConsoleVisit, words: readonly string[]): HitGroup {
  const hits = visit.deps.named
    .filter(
      ({ label, scope }) => isInScope(visit.facts.principal, scope) && hasWords([label], words),
    )
    .map(({ label, path }) => ({ href: visit.at(path), name: label }))
  return { label: 'Pages', hits }
}

function sessionsFound(visit: ConsoleVisit, asked: URLSearchParams): HitGroup {
  const found = findSessions(visibleSessions(visit), sessionQuery(asked))
  return groupOf(visit, { label: 'Sessions', path: '', asked, found }, (view) => ({
    href: visit.at(`/sessions/${view.id}`),
    name: view.id,
    about: [...view.tags, view.keyName, ...(visit.isAdmin ? [view.tenant] : [])].join(' · '),
    state: sessionState(view),
  }))
}

function tasksFound(visit: ConsoleVisit, asked: URLSearchParams): HitGroup {
  const found = findTasks(visibleTasks(visit), taskQuery(asked))
  return groupOf(visit, { label: 'Tasks', path: '/tasks', asked, found }, (view) => ({
    href: visit.at(`/tasks/${view.id}`),
    name: truncateText(view.prompt, consoleLimits.foundGoalChars),
    about: view.id,
    state: taskStateWord(view),
  }))
}

async function keysFound(visit: ConsoleVisit, asked: URLSearchParams): Promise<HitGroup> {
  const found = findKeys(await visit.deps.apiKeys.list(), keyQuery(asked))
  return groupOf(visit, { label: 'Keys', path: '/keys', asked, found }, ({ record, state }) => ({
    href: withQuery(visit.at('/keys'), new URLSearchParams(), { show: 'all', search: record.id }),
    name: record.name,
    about: `${record.id} · ${record.tenant}`,
    state: keyStateWords[state],
  }))
}

interface Listed<V> {
  readonly label: string
  /** The path of the list below `/console`. */
  readonly path: string
  /** The query of the list that has all of them. */
  readonly asked: URLSearchParams
  readonly found: ConsoleListPage<V, 'all'>
}

function groupOf<V>(
  visit: ConsoleVisit,
  { label, path, asked, found }: Listed<V>,
  hitOf: (row: V) => Hit,
): HitGroup {
  const hits = found.rows.slice(0, consoleLimits.foundOfKind).map(hitOf)
  const count = found.counts.all
  if (count <= hits.length) return { label, hits }
  const name = `All ${countWord(count)} ${label.toLowerCase()}`
  return { label, hits, more: { href: withQuery(visit.at(path), asked, {}), name } }
}
