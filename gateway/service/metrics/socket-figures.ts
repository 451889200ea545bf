/** Metrics of the sockets of one gateway, and of the bytes that they transfer. */
import type { Registry } from 'prom-client'
import type { CdpTraffic } from '../../cdp/proxy.ts'
import { readCounter, readGauge } from './figures.ts'

export interface SocketFigureDeps {
  readonly cdp: { readonly sockets: number; readonly traffic: CdpTraffic }
  readonly live: { readonly sockets: number }
  readonly records: { readonly sockets: number }
}

export function addSocketFigures(registry: Registry, deps: SocketFigureDeps): void {
  const { cdp, live, records } = deps
  readGauge(
    registry,
    {
      name: 'troupe_open_sockets',
      help: 'Client sockets on this gateway; steps: those that follow tasks.',
      labels: ['kind'],
    },
    () => [
      [{ kind: 'cdp' }, cdp.sockets],
      [{ kind: 'live_view' }, live.sockets],
      [{ kind: 'steps' }, records.sockets],
    ],
  )
  readCounter(
    registry,
    {
      name: 'troupe_cdp_bytes_total',
      help: 'Payload bytes of CDP messages, by direction.',
      labels: ['direction'],
    },
    () => [
      [{ direction: 'to_browser' }, cdp.traffic.toBrowserBytes],
      [{ direction: 'from_browser' }, cdp.traffic.fromBrowserBytes],
    ],
  )
}
