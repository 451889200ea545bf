// Goal: one owner with much work holds up no other. Method: work that ends when the test says so.
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { FairSlots } from '../../../../../runtime/lib/network/fair-slots.ts'

function slots(atOnce: number, atOncePerOwner: number) {
  const fair = new FairSlots({ atOnce, atOncePerOwner })
  const began: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const run = (name: string, owner: object, signal = new AbortController().signal) =>
    fair.run(owner, signal, () => {
      began.push(name)
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)))
      })
    })
  return { began, run, end: (name: string, error?: Error) => ends.get(name)!(error) }
}

t.test('each owner has a bound, and they take turns', async (t) => {
  const { began, run, end } = slots(3, 2)
  const [a, b, c] = [{}, {}, {}]
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => run(name, a))
  await turn()
  t.same(began, ['a1', 'a2'])
  all.push(run('b1', b), run('b2', b), run('c1', c))
  await turn()
  t.same(began, ['a1', 'a2', 'b1'])
  end('a1')
  await turn()
  end('b1')
  await turn()
  t.equal(began.length, 5)
  t.same([...began.slice(3)].sort(), ['a3', 'b2'])
  end('a2')
  await turn()
  t.equal(began.at(-1), 'c1', 'the one that has waited longest')
  for (const name of ['a3', 'b2', 'c1']) end(name)
  await turn()
  end('a4')
  t.same(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'])
})

t.test('what fails or leaves makes room', async (t) => {
  const { began, run, end } = slots(1, 1)
  const owner = {}
  const gone = new AbortController()
  const first = run('first', owner)
  const second = run('second', owner, gone.signal)
  const third = run('third', {})
  const left = new Error('it has left')
  gone.abort(left)
  await t.rejects(second, left)
  end('first', new Error('failed'))
  await t.rejects(first, { message: 'failed' })
  await turn()
  t.same(began, ['first', 'third'])
  end('third')
  t.equal(await third, 'third')
  await t.rejects(run('late', owner, gone.signal), left)
})
