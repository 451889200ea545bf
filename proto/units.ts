/** Units of bytes, and of time. */
export const KiB = 1024
export const MiB = 1024 * KiB
export const GiB = 1024 * MiB

export const dayMs = 24 * 60 * 60_000
