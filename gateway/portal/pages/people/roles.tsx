/** The roles of a person: choosing them in an invitation, and replacing them later. */
import { ChoiceField } from '../../../html/fields.tsx'
import { Collapsible, PostForm, SubmitButton } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import { roleHints, roleWord } from '../../words/words.ts'
import type { PersonFormProps } from './acts.ts'
import { personKindFacts, type PersonKind } from './kind.ts'

interface RolesFieldProps {
  readonly kind: PersonKind
  readonly chosen: readonly string[]
  readonly problem: FormProblem | undefined
}

export const RolesField = ({ kind, chosen, problem }: RolesFieldProps) => (
  <ChoiceField
    {...{ name: 'roles', label: 'Roles', kind: 'checkbox', problem, chosen }}
    choices={personKindFacts(kind).roles.map((role) => ({
      value: role,
      label: roleWord(role),
      hint: roleHints[role],
    }))}
  />
)

export const RolesForm = ({ visit, person, action, problem }: PersonFormProps) => (
  <Collapsible label="Change roles" isOpen={problem !== undefined}>
    <PostForm visit={visit} action={action} seen={person.version} class="narrow">
      <p>
        New roles take effect at once, but those that decide may wait for a second person. Access
        that was granted to this person stays.
      </p>
      <RolesField
        kind={person.kind}
        chosen={problem ? visit.form.all('roles') : person.roles}
        problem={problem}
      />
      <SubmitButton kind="plain">Save roles</SubmitButton>
    </PostForm>
  </Collapsible>
)
