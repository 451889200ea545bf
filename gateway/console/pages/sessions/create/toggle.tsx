/** A checkbox in a group. */
export const Toggle = ({ name, label, isOn }: { name: string; label: string; isOn: boolean }) => (
  <div class="choice">
    <input type="checkbox" id={`f-${name}`} name={name} value="yes" checked={isOn} />
    <label for={`f-${name}`}>{label}</label>
  </div>
)
