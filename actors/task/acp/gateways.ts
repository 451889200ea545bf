/** Where an agent finds the tools of its task: a gateway on this machine, or one that is reached. */
import type { HostRecord } from '../../../proto/host.ts'
import type { Membership } from '../../../runtime/membership.ts'

export function gatewayUrl(
  membership: Pick<Membership, 'available'>,
  machine: string,
): string | undefined {
  const gateways = membership.available('gateway')
  const near = gateways.find((host) => host.machine === machine && host.url !== undefined)
  const far = gateways.find((host): host is HostRecord & { publicUrl: string } => {
    return host.publicUrl !== undefined
  })
  return near?.url ?? far?.publicUrl
}
