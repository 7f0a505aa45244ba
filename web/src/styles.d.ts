declare module "*.css";
declare module "*.ts?worker&inline" { const PlayWorker: new () => Worker; export default PlayWorker; }
