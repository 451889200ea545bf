/** People, clients and grants on a service whose roles the test has started itself. */
import { insiderOn } from '../service/insider.ts'
import type { Teardown, TestNats } from '../nats/nats.ts'
import { furnish, type Furnished } from './world.ts'

export async function openChain(t: Teardown, nats: TestNats, baseUrl: string): Promise<Furnished> {
  const insider = await insiderOn(await nats.connect('insider'))
  t.teardown(() => insider.close())
  return furnish(insider, baseUrl)
}
