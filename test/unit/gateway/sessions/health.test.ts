/** Goal: readiness says how browsers are isolated, and what is missing on which kind of host. */
import t from 'tap'
import { Health } from '../../../../gateway/sessions/health.ts'
import type { HostRecord } from '../../../../proto/host.ts'
import { newIncarnation } from '../../../../proto/ids.ts'

const host = (role: HostRecord['role'], more: Partial<HostRecord> = {}): HostRecord => ({
  ...{ state: 'alive', incarnation: newIncarnation('n', role), nodeId: 'n', role },
  ...{ leaseMs: 1, machine: 'm', version: '0', ...more },
})
const browsers = { capacity: 5, warm: 1, booting: 0, claimed: 2, queued: 0, ready: true }

t.test('the weakest isolation and bounds count, with each reason once', async (t) => {
  const isolationLacks = ['browsers share the network of this host']
  const open = { browsers, isolation: 'namespaces', isolationLacks } as const
  const hosts = [
    host('actors'),
    host('node-agent', { browsers, isolation: 'full', bounds: 'kernel' }),
    host('node-agent', open),
    host('node-agent', open),
  ]
  t.match(new Health({ hosts: () => hosts }).ready(), {
    ...{ nodes: 3, isolation: 'namespaces', isolation_lacks: isolationLacks },
    bounds: 'checks',
  })
  const walled = hosts.slice(0, 2)
  t.match(new Health({ hosts: () => walled }).ready(), {
    ...{ isolation: 'full', isolation_lacks: [], bounds: 'kernel' },
  })
})
