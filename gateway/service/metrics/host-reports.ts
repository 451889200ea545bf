import type { Membership } from '../../../runtime/cluster/membership.ts'

/** The source of the records of all processes. */
export type HostReports = Pick<Membership, 'hosts' | 'clockSkews'>
