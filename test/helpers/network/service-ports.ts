/** The TCP ports that a running service has on its machine. */
import { descendantsOf, linkOf, listeningPorts } from '../lib/processes.ts'
import type { Service } from '../service/service.ts'

/** Of the gateway, NATS and the node agent's data port. */
export function servicePorts(service: Pick<Service, 'pid'>): readonly number[] {
  const own = linkOf('/proc/self/ns/net')
  const roles = descendantsOf(service.pid).filter(
    ({ pid }) => linkOf(`/proc/${pid}/ns/net`) === own,
  )
  const ports = new Set(roles.flatMap(({ pid }) => listeningPorts(pid)))
  if (ports.size < 3) throw new Error(`the service listens on ${[...ports].join()} alone`)
  return [...ports]
}
