/**
 * Goal: no session is created for longer than the operator allows; a request for more is refused
 * with the limit.
 */
import { defined } from '../../../../proto/defined.ts'
import t from 'tap'
import { boundedOptions } from '../../../../gateway/sessions/operator-options.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'

const bounds = loadConfig({ MAX_DURATION_MINUTES: '10', MAX_IDLE_MINUTES: '2' })
const none = loadConfig({})
const asked = (max_duration?: number, idle_timeout?: number) => ({
  session: {
    timeout: {
      ...defined({ max_duration, idle_timeout }),
    },
  },
})

t.test('times within the limits are accepted', async (t) => {
  t.match(boundedOptions(asked(10, 2), bounds), { maxDurationMinutes: 10, idleTimeoutMinutes: 2 })
  t.match(boundedOptions(asked(0.5, 0.1), bounds), { maxDurationMinutes: 0.5 })
})

t.test('a longer default is reduced', async (t) => {
  t.match(boundedOptions({}, bounds), { maxDurationMinutes: 10, idleTimeoutMinutes: 2 })
  t.match(boundedOptions({}, none), { maxDurationMinutes: 20, idleTimeoutMinutes: 5 })
})

t.test('longer times, or none, are refused with the limit', async (t) => {
  t.throws(() => boundedOptions(asked(11), bounds), /^max_duration can be at most 10 minutes/)
  t.throws(() => boundedOptions(asked(-1), bounds), /^max_duration can be at most 10 minutes/)
  t.throws(() => boundedOptions(asked(5, 3), bounds), /^idle_timeout can be at most 2 minutes/)
  t.throws(() => boundedOptions(asked(5, -1), bounds), /^idle_timeout can be at most 2 minutes/)
  t.match(boundedOptions(asked(-1, -1), none), { maxDurationMinutes: -1, idleTimeoutMinutes: -1 })
})
