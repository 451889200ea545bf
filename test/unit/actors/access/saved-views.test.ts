// Goal: a saved view is stored once per name, without the position in the list, and a person keeps
// at most fifty. Method: the kind of a person alone, and the function that reads a query.
import t from 'tap'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { savedQuery, savedViewBody } from '../../../../proto/access/people/saved-view.ts'
import { ben } from '../../../helpers/access/actors/actor.ts'
import { activePerson } from '../../../helpers/access/actors/active-person.ts'

const view = (n: number, name: string, query = '', area = 'tasks') => ({
  ...{ type: 'save_view', by: ben, saved: { id: `svw_${n}`, name, area, query } },
})

t.test('views are stored by area and name, each name once in an area', async (t) => {
  const it = activePerson()
  it.say(view(1, 'Open', 'filter[status]=open'))
  it.say(view(2, 'Due', 'sort=due_at'))
  it.say(view(3, 'Open', 'sort=name', 'contacts'))
  it.say(view(4, 'OPEN', 'filter[status]=done'))
  t.match(it.view()['savedViews'], [
    { id: 'svw_3' },
    { id: 'svw_2' },
    { id: 'svw_4', name: 'OPEN' },
  ])
  t.equal((it.view()['savedViews'] as unknown[]).length, 3)
  it.say({ type: 'drop_view', by: ben, viewId: 'svw_2' })
  t.match(it.view()['savedViews'], [{ id: 'svw_3' }, { id: 'svw_4' }])
})

t.test('fifty are kept, and an existing one can still be replaced', async (t) => {
  const it = activePerson()
  for (let n = 0; n < limits.savedViewsPerPerson; n++) it.say(view(n, `View ${n}`))
  t.match(it.refusal(view(99, 'One more')), { type: 'conflict', details: { limit: 50 } })
  it.say(view(99, 'View 7', 'sort=name'))
  t.equal((it.view()['savedViews'] as unknown[]).length, 50)
})

t.test('of a query, the parts that filter and sort are stored', async (t) => {
  const query = 'filter[status]=open&cursor=abc&sort=-due_at&grant=gr_1&filter[tags]=&told=saved'
  t.equal(decodeURIComponent(savedQuery(query)), 'filter[status]=open&sort=-due_at')
  for (const wrong of [
    { area: 'nothing', name: 'A' },
    { area: 'tasks', name: '' },
    { area: 'tasks', name: 'A', query: 'x'.repeat(limits.savedViewQueryChars + 1) },
  ]) {
    t.notOk(savedViewBody.safeParse(wrong).success, JSON.stringify(wrong).slice(0, 60))
  }
})
