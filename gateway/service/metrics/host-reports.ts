import type { Membership } from '../../../runtime/cluster/membership.ts'

/** Where the records of all processes are read. */
export type HostReports = Pick<Membership, 'hosts' | 'clockSkews'>
