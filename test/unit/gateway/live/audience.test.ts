/**
 * Goal: viewers of a session are counted over all gateways, and those of a dead gateway are
 * dropped. Method: three gateways on an in-memory bus.
 */
import { pino } from 'pino'
import t from 'tap'
import type { HostRecord } from '../../../../proto/host.ts'
import { newId, newIncarnation, type Incarnation } from '../../../../proto/ids.ts'
import { NoResponders, type Bus, type BusHandler } from '../../../../runtime/store/bus.ts'
import { Audience } from '../../../../gateway/live/audience.ts'

const sessionId = newId('ses')
const handlers = new Map<string, BusHandler>()
const bus: Bus = {
  messageBytes: 2 ** 20,
  async request(subject, payload) {
    const handler = handlers.get(subject)
    if (!handler) throw new NoResponders(subject)
    return handler(payload, subject)
  },
  serve(subject, handler) {
    handlers.set(subject, handler)
    return { stop: () => void handlers.delete(subject) }
  },
}

class PlayedGateway {
  readonly incarnation: Incarnation = newIncarnation('node', 'gateway')
  viewers = 0
  told = 0
  isDead = false
  readonly audience = new Audience(
    { bus, incarnation: this.incarnation, membership: { hosts }, log: pino({ level: 'silent' }) },
    () => this.viewers,
    () => this.told++,
  )

  async count(viewers: number): Promise<void> {
    this.viewers = viewers
    await this.audience.tell(sessionId)
  }
}

const gateways: PlayedGateway[] = []
function hosts(): HostRecord[] {
  return gateways.map(({ incarnation, isDead }) => ({
    ...{ incarnation, nodeId: 'node', role: 'gateway', machine: 'here', version: '0' },
    ...{ state: isDead ? 'dead' : 'alive', leaseMs: 1_000 },
  })) as HostRecord[]
}
gateways.push(new PlayedGateway(), new PlayedGateway(), new PlayedGateway())
const [first, second, third] = gateways as [PlayedGateway, PlayedGateway, PlayedGateway]
const counts = () => gateways.map(({ audience }) => audience.of(sessionId))

t.test('each gateway knows the sum, and is told when it changes', async (t) => {
  await first.count(2)
  t.same(counts(), [2, 2, 2])
  await second.count(1)
  t.same(counts(), [3, 3, 3])
  t.equal(third.told, 2)
  await second.count(1)
  t.equal(third.told, 2, 'the same number is no news')
  await first.count(0)
  t.same(counts(), [1, 1, 1])
})

t.test('a gateway that missed a message learns it with its own next one', async (t) => {
  const deaf = new PlayedGateway()
  await first.count(4)
  gateways.push(deaf)
  t.equal(deaf.audience.of(sessionId), 0)
  await deaf.count(1)
  t.same(counts(), [6, 6, 6, 6])
})

t.test('a dead gateway’s viewers are dropped', async (t) => {
  first.isDead = true
  first.audience.stop()
  t.same(counts().slice(1), [2, 2, 2])
  await second.count(2)
  t.same(counts().slice(1), [3, 3, 3], 'without waiting for it')
})
