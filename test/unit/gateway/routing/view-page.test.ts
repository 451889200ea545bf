/**
 * Goal: a list of any length is read from its first row to its last, each row once, and no request
 * costs more than its bound. Method: the paging of lists on views in memory, whose reads are counted.
 */
import t from 'tap'
import { limits } from '../../../../proto/limits.ts'
import type { ActorView } from '../../../../proto/actor.ts'
import type { ServiceError } from '../../../../proto/errors.ts'
import type { LazyView, ViewRange } from '../../../../runtime/actor/archive/history.ts'
import { pageOfFew, pageOfViews } from '../../../../gateway/routing/answers/view-page.ts'

const many = 25_000
const limit = 50
const most = limits.listRowsSearched
const viewOf = (n: number): ActorView => ({ id: `ses_${String(n).padStart(6, '0')}`, tenant: 'a' })
const views = Array.from({ length: many }, (_, n) => viewOf(n))
const ids = views.map(({ id }) => id)
const orders = ['asc', 'desc'] as const

/** The same views as an index gives them, which begins anywhere. */
function indexed(read: { count: number }) {
  function* walk({ newestFirst, after }: ViewRange): Iterable<LazyView<ActorView>> {
    const step = newestFirst ? -1 : 1
    let at = newestFirst ? many - 1 : 0
    if (after !== undefined) at = ids.indexOf(after) + step
    for (; at >= 0 && at < many; at += step) {
      const view = views[at]!
      yield { id: view.id, read: () => (read.count++, view) }
    }
  }
  return { walk, count: () => many }
}

for (const sort_order of orders) {
  t.test(`every row once, by cursors, ${sort_order}`, async (t) => {
    const read = { count: 0 }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = { page: 1, limit, sort_order, cursor }
      const { rows, counts } = pageOfViews(indexed(read), {}, query)
      seen.push(...rows.map(({ id }) => id))
      t.equal(counts.total, many)
      cursor = counts.next_cursor
    } while (cursor !== undefined)
    t.same(seen, sort_order === 'asc' ? ids : ids.toReversed())
    t.equal(read.count, many, 'only rows of pages are read')
  })
}

t.test('pages reach to a bound, and from there a cursor leads on', async (t) => {
  const at = (page: number, cursor?: string) =>
    pageOfViews(indexed({ count: 0 }), {}, { page, limit, sort_order: 'asc', cursor })
  const last = at(most / limit)
  t.equal(last.rows.at(-1)?.id, ids[most - 1])
  t.match(last.counts, { total: many, next_cursor: ids[most - 1] })
  t.notOk('total_is_minimum' in last.counts)
  for (const page of [most / limit + 1, 1_000_000]) {
    try {
      at(page)
      t.fail('it is refused')
    } catch (error) {
      const { type, details, message } = error as ServiceError
      t.match({ type, details }, { type: 'bad_request', details: { cursor: ids[most - 1] } })
      t.match(message, `cursor=${ids[most - 1]}`)
    }
  }
  t.equal(at(1, ids[most - 1]).rows[0]?.id, ids[most])
  t.throws(() => at(2, ids[5]), /either `cursor` or `page`/)
})

t.test('a page behind the end of a short list is empty', async (t) => {
  const few = views.slice(0, 30)
  const { rows, counts } = pageOfFew(few, { page: 900, limit, sort_order: 'asc' })
  t.same([rows, counts], [[], { total: 30, page: 900, total_pages: 1 }])
  const next = pageOfFew(few, { page: 1, limit: 20, sort_order: 'desc', cursor: ids[10] })
  t.same(
    next.rows.map(({ id }) => id),
    ids.slice(0, 10).toReversed(),
  )
  t.notOk(next.counts.next_cursor)
})

t.test('a search that has read enough goes on where it ended', async (t) => {
  const read = { count: 0 }
  const wanted = new Set([ids[most + 20], ids[many - 1]])
  const search = { matches: ({ id }: ActorView) => wanted.has(id), mustRead: true }
  const found: string[] = []
  let cursor: string | undefined
  let requests = 0
  do {
    const before = read.count
    const query = { page: 1, limit, sort_order: 'asc', cursor } as const
    const { rows, counts } = pageOfViews(indexed(read), search, query)
    found.push(...rows.map(({ id }) => id))
    t.ok(read.count - before <= most)
    t.equal(counts.total_is_minimum, true)
    cursor = counts.next_cursor
    requests++
  } while (cursor !== undefined)
  t.same(found, [...wanted])
  t.equal(requests, Math.ceil(many / most))
})
