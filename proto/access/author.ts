/** Who did something: on every governance command, in every entry of the audit. */
export const staffRoles = ['admin', 'reviewer', 'operator', 'change_manager', 'auditor'] as const
export const memberRoles = ['owner', 'member'] as const
export type StaffRole = (typeof staffRoles)[number]
export type MemberRole = (typeof memberRoles)[number]
export type AccessRole = StaffRole | MemberRole

export interface Author {
  readonly kind: 'staff' | 'member' | 'integration' | 'system'
  /** A person's id, a grant's for an integration, or what part of the service it is. */
  readonly id: string
  /** Of people, as they stood when they acted. */
  readonly roles?: readonly AccessRole[]
  /** Of the HTTP request it came with. */
  readonly requestId?: string
  /** `ACCESS_SINGLE_OPERATOR`: the rule of two people was set aside for this one. */
  readonly singleOperator?: true
}

export const system = (id: string): Author => ({ kind: 'system', id })

/** As `created_by` and `updated_by` say it: an id, or `system:import`. */
export const authorName = ({ kind, id }: Author): string =>
  kind === 'system' ? `system:${id}` : id

export const hasRole = (
  { roles = [] }: Pick<Author, 'roles'>,
  ...wanted: readonly AccessRole[]
): boolean => wanted.some((role) => roles.includes(role))

/** What every governance command carries. */
export interface ByAuthor {
  readonly by: Author
  /** The version that the author saw; another one is refused (`precondition_failed`). */
  readonly ifVersion?: number
}
