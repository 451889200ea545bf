/** The fields of a login's values; what was sent is not shown again. */
import { TextField } from '../../../html/fields.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { ConsoleVisit } from '../../visit.ts'

export const valueFields = [
  { name: 'username', label: 'User name' },
  { name: 'password', label: 'Password' },
  { name: 'totp', label: 'Secret of one-time codes' },
]

/** Those that were filled in. */
export function valuesIn({ form }: ConsoleVisit): Readonly<Record<string, string>> {
  const given = valueFields.map(({ name }) => [name, form.given(name)] as const)
  return Object.fromEntries(given.filter((one): one is [string, string] => one[1] !== undefined))
}

/** `kept`: the hint of an empty field of a login that exists. */
export const ValueFields = ({
  problem,
  kept,
}: {
  problem: FormProblem | undefined
  kept?: string
}) => (
  <>
    <TextField
      name="username"
      label="User name"
      hint={kept}
      problem={problem}
      autocomplete="off"
      isOptional
    />
    <TextField
      name="password"
      label="Password"
      type="password"
      hint={kept}
      problem={problem}
      autocomplete="new-password"
      isOptional
    />
    <TextField
      name="totp"
      label="Secret of one-time codes"
      type="password"
      hint="If the site asks for a code of an authenticator app: the secret it offers beside its QR code, or an otpauth:// address."
      problem={problem}
      autocomplete="off"
      isOptional
    />
  </>
)
