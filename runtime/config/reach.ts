/** Who can reach a service with these settings. */
import { isLoopback } from '../lib/network/hosts.ts'
import type { Config } from './config.ts'

export type ReachConfig = Pick<Config, 'HOST' | 'DATA_HOST' | 'PUBLIC_URL'>

/** True if users of other machines can reach the service. */
export const isReachedByOthers = ({ HOST, DATA_HOST, PUBLIC_URL }: ReachConfig): boolean =>
  PUBLIC_URL !== '' || !isLoopback(HOST) || !isLoopback(DATA_HOST)
