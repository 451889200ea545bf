/**
 * Goal: what limits count is what runs, whatever happened before, and what has ended costs nothing.
 * Method: random changes of views beside a recount of all of them; a source that is read once.
 */
import t from 'tap'
import { RunningViews, type KeyedView } from '../../../../gateway/routing/running-views.ts'
import { Random } from '../../../sim/world/random.ts'

interface View extends KeyedView {
  readonly isOver: boolean
}
type Listener = (view: View | undefined, id: string) => void

class Source {
  readonly byId = new Map<string, View>()
  reads = 0
  #listener: Listener = () => undefined

  all(): Iterable<View> {
    this.reads++
    return this.byId.values()
  }

  onChange(listener: Listener): () => void {
    this.#listener = listener
    return () => undefined
  }

  set(view: View): void {
    this.byId.set(view.id, view)
    this.#listener(view, view.id)
  }

  delete(id: string): void {
    this.byId.delete(id)
    this.#listener(undefined, id)
  }
}

const view = (id: string, tenant: string, keyId: string, isOver = false): View => ({
  ...{ id, tenant, keyId, isOver },
})

t.test('any sequence of changes counts as a recount does', async (t) => {
  const random = new Random(7)
  const source = new Source()
  source.set(view('s00', 't0', 'k0'))
  source.set(view('s01', 't0', 'k0', true))
  const running = new RunningViews(source, ({ isOver }) => isOver)
  for (let step = 0; step < 3_000; step++) {
    const n = random.int(0, 30)
    const id = `s${String(n).padStart(2, '0')}`
    if (random.chance(0.2)) source.delete(id)
    else source.set(view(id, `t${n % 3}`, `k${n % 5}`, random.chance(0.4)))
    const tenant = `t${random.int(0, 2)}`
    const key = `k${random.int(0, 4)}`
    const live = [...source.byId.values()].filter(({ isOver }) => !isOver)
    const idsOf = (views: readonly View[]) => views.map((one) => one.id).toSorted()
    const ofTenant = live.filter((one) => one.tenant === tenant)
    const ofKey = live.filter((one) => one.keyId === key)
    const isRight =
      running.countOfTenant(tenant) === ofTenant.length &&
      running.countOfKey(key) === ofKey.length &&
      String(running.ofTenant(tenant).map((one) => one.id)) === String(idsOf(ofTenant)) &&
      String(running.ofKey(key).map((one) => one.id)) === String(idsOf(ofKey)) &&
      [...running.tenants()].includes(tenant) === ofTenant.length > 0
    if (!isRight) return void t.fail(`after ${step} steps`)
  }
  t.equal(source.reads, 1, 'the views were read once, at the start')
})
