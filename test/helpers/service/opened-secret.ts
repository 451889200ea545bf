/** The secret of a running service, for tests that forge signatures. */
import { decode } from '../../../proto/codec.ts'
import { buckets } from '../../../proto/subjects.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import type { Insider } from './insider.ts'

export async function storedSecret({ store }: Insider): Promise<string> {
  const entry = await store.bucket(buckets.keys).get('service.secret')
  return decode<string>(entry!.value)
}

export async function openedSecret(insider: Insider, dataDir: string): Promise<string> {
  const sealer = openSealer(loadConfig({ DATA_DIR: dataDir }))
  return sealer.open(await storedSecret(insider), ['service', 'secret'])
}
