/** The roles of a person, each as a mark of its own, so that nobody overlooks the second one. */
import type { AccessRole } from '../../../proto/access/author.ts'
import { roleHints, roleWord } from '../words/words.ts'

export const RoleMarks = ({
  of,
  withHints = false,
}: {
  of: readonly AccessRole[]
  /** Whether to say what each role is for. */
  withHints?: boolean
}) =>
  of.length === 0 ? (
    <>None yet</>
  ) : (
    <ul class={withHints ? 'roles explained' : 'roles'}>
      {of.map((role) => (
        <li>
          <span class="role">{roleWord(role)}</span>
          {withHints ? <span class="about">{roleHints[role]}</span> : ''}
        </li>
      ))}
    </ul>
  )
