/** The ports of the service's own processes, which browsers never reach. */
export interface ServicePorts {
  /** Of gateways, node agents and NATS. */
  readonly closed: readonly number[]
  /** Of the gateways on loopback, whose demo page the filter answers itself. */
  readonly gateways: readonly number[]
}

export const noPorts: ServicePorts = { closed: [], gateways: [] }
