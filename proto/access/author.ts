/** Who performed an action: part of every governance command and every audit entry. */
export const staffRoles = ['admin', 'reviewer', 'operator', 'change_manager', 'auditor'] as const
export const memberRoles = ['owner', 'member'] as const
export type StaffRole = (typeof staffRoles)[number]
export type MemberRole = (typeof memberRoles)[number]
export type AccessRole = StaffRole | MemberRole

export interface Author {
  readonly kind: 'staff' | 'member' | 'integration' | 'system'
  /** A person's id, a grant's id for an integration, or the name of a part of the service. */
  readonly id: string
  /** A person's roles at the time of the action. */
  readonly roles?: readonly AccessRole[]
  /** Id of the HTTP request that caused it. */
  readonly requestId?: string
  /** `ACCESS_SINGLE_OPERATOR`: the two-person rule was overridden for this action. */
  readonly singleOperator?: true
}

export const systemAuthor = (id: string): Author => ({ kind: 'system', id })

/** The author in `created_by` and `updated_by`: an id, or `system:import`. */
export const authorName = ({ kind, id }: Author): string =>
  kind === 'system' ? `system:${id}` : id

export const hasRole = (
  { roles = [] }: Pick<Author, 'roles'>,
  ...wanted: readonly AccessRole[]
): boolean => wanted.some((role) => roles.includes(role))

/** Fields that every governance command carries. */
export interface ByAuthor {
  readonly by: Author
  /** The version that the author saw; if it is not the current one: `precondition_failed`. */
  readonly ifVersion?: number
}
