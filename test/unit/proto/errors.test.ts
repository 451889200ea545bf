// Goal: an error itself says what its caller may do, so that no caller keeps a list of types.
import t from 'tap'
import {
  errorTypes,
  fromWireError,
  isGone,
  mayTryElsewhere,
  ServiceError,
} from '../../../proto/errors.ts'

const of = (retry: string) =>
  errorTypes.filter((type) => new ServiceError(type, '').retry === retry).sort()

t.test('errors worth an immediate retry elsewhere are no fault of the request', async (t) => {
  t.same(of('elsewhere'), [
    'authorization_unavailable',
    'busy',
    'draining',
    'internal',
    'timeout',
    'unavailable',
  ])
  t.ok(of('elsewhere').every((type) => new ServiceError(type, '').status >= 500))
})

t.test('errors worth a retry later are limits, or parts that lag', async (t) => {
  const statuses = new Set(of('later').map((type) => new ServiceError(type, '').status))
  t.same([...statuses].sort(), [429, 503, 507])
})

t.test('an error from another process says the same as a local one', async (t) => {
  const error = fromWireError({ type: 'unavailable', message: 'away' })
  t.match(error, { retry: 'elsewhere', status: 503 })
  t.ok(mayTryElsewhere(error))
  t.notOk(mayTryElsewhere(new Error('unavailable')))
  t.ok(isGone(new ServiceError('session_ended', '')) && isGone(new ServiceError('not_found', '')))
  t.notOk(isGone(new ServiceError('conflict', '')))
})
