/** A message to an actor as tests look at it: any field of any kind. */
export interface Said {
  readonly type: string
  readonly [field: string]: unknown
}
