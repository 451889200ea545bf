// Goal: ending grants is repeated until each of them has confirmed, a few at a time. Method: the
// effect alone, with a directory that refuses, fails and waits.
import t from 'tap'
import { notifyGrants } from '../../../../actors/access/common/citations.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import { mayTryElsewhere, ServiceError, type ErrorType } from '../../../../proto/errors.ts'
import type { Directory } from '../../../../runtime/actor/directory.ts'
import { accessIdOf } from '../../../helpers/access/actors/story.ts'

const by = systemAuthor('clock')

function tell(count: number, ask: Directory['ask'], signal = new AbortController().signal) {
  const citations = Array.from({ length: count }, (_, n) => ({ grantId: accessIdOf('grant', n) }))
  return notifyGrants(
    { directory: { ask } },
    { end: 'need_closed', by },
    { signal, state: { citations } },
  )
}

const failWith = (type: ErrorType) => async () => {
  throw new ServiceError(type, 'no')
}

for (const type of ['not_found', 'session_ended', 'conflict', 'invalid_transition'] as const) {
  t.test(`a grant that answers ${type} needs no end`, async (t) => {
    await t.resolves(tell(1, failWith(type)))
  })
}

for (const type of ['timeout', 'unavailable', 'storage_full', 'rate_limited'] as const) {
  t.test(`${type} is retried`, async (t) => {
    const error = await tell(1, failWith(type)).catch((error: unknown) => error)
    t.ok(mayTryElsewhere(error), 'which the runtime does with no error that is final')
  })
}

t.test('a few grants are told at once, and all of them in the end', async (t) => {
  let underWay = 0
  let most = 0
  const told = new Set<string>()
  await tell(3 * limits.grantsToldAtOnce + 1, async (_protocol, id) => {
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay--
    told.add(id)
    throw new ServiceError('conflict', 'it has ended')
  })
  t.equal(most, limits.grantsToldAtOnce)
  t.equal(told.size, 3 * limits.grantsToldAtOnce + 1)
})

t.test('an owner that stops tells no further grants', async (t) => {
  const stopping = new AbortController()
  let told = 0
  await tell(
    3 * limits.grantsToldAtOnce,
    async () => {
      told++
      stopping.abort()
      throw new ServiceError('conflict', 'it has ended')
    },
    stopping.signal,
  )
  t.equal(told, limits.grantsToldAtOnce)
})
