import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { containedServer } from './contained.ts'

/** The wanted port if it is free, else any port that is free at the moment. */
export async function freePort(host: string, wanted = 0): Promise<number> {
  const probe = containedServer(createServer()).listen(wanted, host)
  try {
    await once(probe, 'listening')
  } catch (error) {
    if (wanted === 0) throw error
    return freePort(host)
  }
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
