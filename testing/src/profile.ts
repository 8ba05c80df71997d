/** The caller and its server: the content of `platform-admin.json` and `demo.json`. */
export type Profile = {
  base_url: string;
  tenant_id: string;
  client_id: string;
  secret: string;
};
